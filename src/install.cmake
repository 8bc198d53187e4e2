# Install rules: headers, library, find_package(firn), pkg-config firn.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

install(FILES ${FIRN_HEADERS} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/firn)
install(TARGETS firn EXPORT firn
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
  RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR}
  INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})

set(firn_package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/firn)
install(EXPORT firn NAMESPACE firn:: FILE firn-targets.cmake DESTINATION ${firn_package_dir})
install(FILES firn-config.cmake DESTINATION ${firn_package_dir})
write_basic_package_version_file(firn-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/firn-config-version.cmake DESTINATION ${firn_package_dir})

# firn.pc finds its prefix from where it lies, so that an installed tree can be moved.
file(RELATIVE_PATH firn_pc_prefix
  ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
set(firn_pc_cflags "")
if(BUILD_SHARED_LIBS)
  set(firn_pc_cflags "-DFIRN_SHARED")
endif()
list(JOIN FIRN_LIBRARY_FLAGS " " firn_pc_libs_private)
configure_file(firn.pc.in firn.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/firn.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
