# Runs the tool: cmake -DFIRN=COMMAND -DGOLDEN=tests/golden -DFOLDER=... -P tool.cmake
file(REMOVE_RECURSE ${FOLDER})
file(MAKE_DIRECTORY ${FOLDER})

# run(STATUS WORD...): the output, both streams in one, is in `out`.
macro(run status)
  execute_process(COMMAND ${FIRN} ${ARGN} WORKING_DIRECTORY ${FOLDER} ENCODING UTF-8
    RESULT_VARIABLE result OUTPUT_VARIABLE out ERROR_VARIABLE err)
  string(APPEND out "${err}")
  if(NOT result EQUAL ${status})
    message(FATAL_ERROR "firn ${ARGN}: ${result}: ${out}")
  endif()
endmacro()

function(expect text)
  string(FIND "${out}" "${text}" at)
  if(at LESS 0)
    message(FATAL_ERROR "no \"${text}\" in: ${out}")
  endif()
endfunction()

# A name with letters beyond ASCII, in a folder with a blank.
set(save "häuser 雪/küche.firn")
file(MAKE_DIRECTORY "${FOLDER}/häuser 雪")
configure_file(${GOLDEN}/saves/02_kitchen.firn "${FOLDER}/${save}" COPYONLY)
run(0 hash ${save})
expect("56a33ca14ebfcaec  total\n")
run(0 verify ${save})
expect("${save}: ok\n")
run(2 verify missing.firn)
expect("firn: missing.firn: opening the file: ")
run(2 verify)

# Bytes go through the standard streams as they are.
execute_process(COMMAND ${FIRN} hash - INPUT_FILE "${FOLDER}/${save}" OUTPUT_VARIABLE out)
expect("56a33ca14ebfcaec  total\n")
execute_process(COMMAND ${FIRN} report -o - ${save} WORKING_DIRECTORY ${FOLDER}
  OUTPUT_FILE ${FOLDER}/report.html RESULT_VARIABLE result)
file(READ ${FOLDER}/report.html out)
expect("<!DOCTYPE html>\n")

# A file is made, and made again: the old one stays.
run(0 report -o page.html ${save})
run(0 report -o page.html ${save})
file(SHA256 ${FOLDER}/report.html expected)
foreach(name page.html page.html.bak)
  file(SHA256 ${FOLDER}/${name} found)
  if(NOT found STREQUAL expected)
    message(FATAL_ERROR "${name} is another page")
  endif()
endforeach()

# No page replaces the file that it is about, by whatever name.
configure_file(${GOLDEN}/saves/02_kitchen.firn "${FOLDER}/own.firn" COPYONLY)
file(CREATE_LINK "${FOLDER}/own.firn" "${FOLDER}/link.firn" RESULT result)
foreach(name own.firn ./own.firn OWN.FIRN link.firn)
  if(name STREQUAL "link.firn" AND result)
    continue() # no hard links here
  endif()
  run(2 report -o ${name} own.firn)
  expect("--output is a file that is read: ${name}")
endforeach()
