// What macOS has in a header of its own stands in <locale.h> here.
#include <locale.h>
