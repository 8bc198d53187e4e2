foreach(list store_layout store_world)
  include(unit/${list}.cmake OPTIONAL)
endforeach()
