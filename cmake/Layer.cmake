# add_layer(NAME SOURCES .. HEADERS .. PUBLIC_HEADERS .. LAYERS .. THIRD_PARTY ..)
# One static library a layer. It may use the layers in LAYERS and nothing else of ours: a wrong call fails at
# link time in the layer's own unit tests, a wrong include in tools/check_house.py.
set_property(GLOBAL PROPERTY PENNON_LAYERS "")

function(add_layer name)
  cmake_parse_arguments(arg "" "" "SOURCES;HEADERS;PUBLIC_HEADERS;LAYERS;THIRD_PARTY" ${ARGN})
  add_library(pennon_${name} STATIC ${arg_SOURCES} ${arg_HEADERS})
  list(TRANSFORM arg_PUBLIC_HEADERS PREPEND ${PROJECT_SOURCE_DIR}/include/pennon/)
  target_sources(pennon_${name} PUBLIC FILE_SET public_headers TYPE HEADERS
    BASE_DIRS ${PROJECT_SOURCE_DIR}/include FILES ${arg_PUBLIC_HEADERS})
  target_include_directories(pennon_${name} PUBLIC ${PROJECT_SOURCE_DIR}/src)
  list(TRANSFORM arg_LAYERS PREPEND pennon_)
  target_link_libraries(pennon_${name} PUBLIC ${arg_LAYERS} Arrow::arrow
    PRIVATE $<BUILD_INTERFACE:pennon_warnings> ${arg_THIRD_PARTY})
  set_property(TARGET pennon_${name} PROPERTY VERIFY_INTERFACE_HEADER_SETS ON)
  set_property(GLOBAL APPEND PROPERTY PENNON_LAYERS pennon_${name})
endfunction()
