// report_write ENTITIES FILE: writes the save of report_scene.h.
#include <stdio.h>
#include <stdlib.h>

#include "cli/report_scene.h"

int main(int argc, char **argv)
{
    if (argc != 3) {
        fprintf(stderr, "usage: report_write ENTITIES FILE\n");
        return 2;
    }
    firn_buffer save = report_scene((uint32_t)strtoul(argv[1], NULL, 10));
    FILE *file = fopen(argv[2], "wb");
    bool written = file != NULL && fwrite(save.data, 1, save.size, file) == save.size;
    written = file != NULL && fclose(file) == 0 && written;
    firn_buffer_free(&save);
    return written ? 0 : 1;
}
