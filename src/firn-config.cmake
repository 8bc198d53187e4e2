# find_package(firn): what a static firn links is looked for where firn is used.
if(NOT WIN32)
  include(CMakeFindDependencyMacro)
  set(THREADS_PREFER_PTHREAD_FLAG ON)
  find_dependency(Threads)
endif()
include(${CMAKE_CURRENT_LIST_DIR}/firn-targets.cmake)
