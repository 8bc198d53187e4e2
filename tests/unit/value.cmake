# firn_value_test(name): a test program with the tree helpers.
function(firn_value_test name)
  firn_test(${name} unit/${name}.c unit/value_trees.c)
endfunction()

firn_value_test(value_vectors)
