# Arrow from the pyarrow wheel: asks a Python interpreter where headers and libraries are.
# The wheel has no plain libarrow.so link, so the versioned file is named here; the run path points into it.
# Input:  PENNON_PYTHON (default: the virtual environment of ./dev, else python3)
# Result: Arrow::arrow, Arrow::compute, Arrow::parquet, ArrowWheel_VERSION
set(_venv ${CMAKE_SOURCE_DIR}/.venv/bin/python)
if(NOT PENNON_PYTHON)
  if(EXISTS ${_venv})
    set(PENNON_PYTHON ${_venv} CACHE FILEPATH "Python that has pyarrow")
  else()
    find_program(PENNON_PYTHON python3 DOC "Python that has pyarrow")
  endif()
endif()
execute_process(
  COMMAND ${PENNON_PYTHON} -c
          "import pyarrow as pa, os\nprint(pa.get_include(), os.path.dirname(pa.__file__), pa.cpp_build_info.so_version, pa.__version__, sep='\\n')"
  OUTPUT_VARIABLE _out RESULT_VARIABLE _rc ERROR_VARIABLE _err OUTPUT_STRIP_TRAILING_WHITESPACE)
if(_rc EQUAL 0)
  string(REPLACE "\n" ";" _out "${_out}")
  list(GET _out 0 ArrowWheel_INCLUDE_DIR)
  list(GET _out 1 ArrowWheel_LIBRARY_DIR)
  list(GET _out 2 _so)
  list(GET _out 3 ArrowWheel_VERSION)
endif()
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(ArrowWheel REQUIRED_VARS ArrowWheel_LIBRARY_DIR ArrowWheel_INCLUDE_DIR
  VERSION_VAR ArrowWheel_VERSION
  REASON_FAILURE_MESSAGE "pyarrow not importable by ${PENNON_PYTHON}: run ./dev build, or set PENNON_PYTHON. ${_err}")
if(ArrowWheel_FOUND AND NOT TARGET Arrow::arrow)
  foreach(_pair "arrow;libarrow" "compute;libarrow_compute" "parquet;libparquet")
    list(GET _pair 0 _name)
    list(GET _pair 1 _file)
    add_library(Arrow::${_name} SHARED IMPORTED GLOBAL)
    set_target_properties(Arrow::${_name} PROPERTIES
      IMPORTED_LOCATION ${ArrowWheel_LIBRARY_DIR}/${_file}.so.${_so}
      INTERFACE_INCLUDE_DIRECTORIES ${ArrowWheel_INCLUDE_DIR}
      INTERFACE_SYSTEM_INCLUDE_DIRECTORIES ${ArrowWheel_INCLUDE_DIR})
  endforeach()
  set_property(TARGET Arrow::compute PROPERTY INTERFACE_LINK_LIBRARIES Arrow::arrow)
  set_property(TARGET Arrow::parquet PROPERTY INTERFACE_LINK_LIBRARIES Arrow::arrow)
endif()
