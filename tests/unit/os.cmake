foreach(part replace temporary read)
  firn_test(os_${part} unit/os_${part}.c unit/os_folder.c)
endforeach()
firn_test(os_thread unit/os_thread.c)
foreach(name create mutex_init cond_init)
  target_link_options(os_thread PRIVATE -Wl,--wrap=pthread_${name})
endforeach()
firn_thread_test(os_thread)

# The branches for macOS, in terms of this system.
set(macos_sources)
foreach(part file_posix folder_posix numeric_posix posix temporary_posix)
  list(APPEND macos_sources ${PROJECT_SOURCE_DIR}/src/os/${part}.c)
endforeach()
firn_test(os_macos unit/os_macos.c unit/os_folder.c ${macos_sources})
set_source_files_properties(${macos_sources} PROPERTIES COMPILE_OPTIONS
  "-U__linux__;-D__APPLE__;-include;${CMAKE_CURRENT_SOURCE_DIR}/unit/macos/system.h")
target_include_directories(os_macos PRIVATE unit/macos)
