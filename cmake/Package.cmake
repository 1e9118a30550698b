# What an installation holds: the program, one shared library and its CMake package.
include(CMakePackageConfigHelpers)

get_property(_layers GLOBAL PROPERTY PENNON_LAYERS)
file(GLOB_RECURSE _headers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/include/pennon/*.h)
add_library(pennon_shared SHARED ${PROJECT_SOURCE_DIR}/cmake/shared_library.cc)
add_library(Pennon::pennon ALIAS pennon_shared)
set_target_properties(pennon_shared PROPERTIES OUTPUT_NAME pennon EXPORT_NAME pennon
  VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
target_sources(pennon_shared PUBLIC FILE_SET HEADERS BASE_DIRS ${PROJECT_SOURCE_DIR}/include FILES ${_headers})
target_include_directories(pennon_shared PUBLIC
  $<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/generated> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
target_compile_features(pennon_shared PUBLIC cxx_std_20)
target_link_libraries(pennon_shared PRIVATE ${_layers})
list(JOIN _layers "," _whole)
set_property(TARGET pennon_shared PROPERTY LINK_LIBRARY_OVERRIDE "WHOLE_ARCHIVE,${_whole}")
target_link_libraries(pennon_shared PUBLIC Arrow::arrow)
# What the layers link statically stays inside.
# Third parties that are linked statically stay inside.

# An Arrow that comes from the wheel stays where it is.
set_target_properties(pennon pennon_shared PROPERTIES
  INSTALL_RPATH "$ORIGIN/../${CMAKE_INSTALL_LIBDIR};${ArrowWheel_LIBRARY_DIR}")
install(TARGETS pennon RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(TARGETS pennon_shared EXPORT PennonTargets
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} FILE_SET HEADERS DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(FILES ${PROJECT_BINARY_DIR}/generated/pennon/version.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/pennon)

set(_package ${CMAKE_INSTALL_LIBDIR}/cmake/Pennon)
install(EXPORT PennonTargets NAMESPACE Pennon:: DESTINATION ${_package})
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/PennonConfig.cmake.in ${PROJECT_BINARY_DIR}/PennonConfig.cmake
  INSTALL_DESTINATION ${_package})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/PennonConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/PennonConfig.cmake ${PROJECT_BINARY_DIR}/PennonConfigVersion.cmake
  ${PROJECT_SOURCE_DIR}/cmake/FindArrowWheel.cmake DESTINATION ${_package})
