#include "cli/every.h"

#include <stddef.h>
#include <string.h>

const every_command every_commands[] = {
    {.words = {"info", "@"}},
    {.words = {"info", "--json", "@"}, .json = true},
    {.words = {"verify", "@"}},
    {.words = {"verify", "--json", "@", "other"}, .json = true, .finds = true},
    {.words = {"hash", "@"}, .needs_snapshot = true},
    {.words = {"hash", "--total", "@"}, .needs_snapshot = true},
    {.words = {"hash", "--json", "@"}, .json = true, .needs_snapshot = true},
    {.words = {"report", "-o", "-", "@"}},
    {.words = {"dump", "@"}},
    {.words = {"dump", "--json", "@"}, .json = true},
    {.words = {"dump", "--where", "id > 2 or key == 'x' and name < Position.x", "@"}},
    {.words = {"diff", "@", "@"}},
    {.words = {"diff", "--all", "@", "other"}, .finds = true},
    {.words = {"diff", "--json", "--tolerance", "1", "@", "other"}, .json = true, .finds = true},
    {.words = {"migrate", "-n", "--drop-component=Bag", "--rename-component=Likes=A", "@"}},
    {.words = {"schema", "@"}, .needs_snapshot = true},
    {.words = {"salvage", "-n", "@"}, .finds = true},
    {.words = {"migrate", "-o", "-", "--rename-field=Position.x=left", "@"}, .binary = true},
    {.words = {"salvage", "-o", "-", "@"}, .binary = true, .finds = true},
    {.words = {"undump", "@"}, .json = true, .binary = true, .refuses = "it is no JSON"},
    {.words = {"verify", "--schema", "game", "@"}, .finds = true},
    {.words = {"hash", "--schema", "@", "@"}, .refuses = "line "},
    {.words = {"dump", "--csv", "Position", "@"}, .refuses = "there is no component Position"},
    {.words = {"diff", "-c", "Position", "-x", "Lamp.oil", "@", "other"},
     .finds = true,
     .refuses = "neither file has a component "},
};

const uint32_t every_command_count = sizeof every_commands / sizeof *every_commands;

const char every_schema[] = "complete # but for what it lacks\n"
                            "Position raw x:float,y:float|8\n"
                            "Bag encoded\n"
                            "Alive boolean\n"
                            "Score number\n"
                            "Title string\n"
                            "Boss tag\n"
                            "Likes relation\n"
                            "Trusts relation sparse exclusive amount:int32_t|4\n"
                            "Knows relation sparse listed\n"
                            "day state\n";

int every_words(const every_command *command, const char *file, const char *words[EVERY_WORDS + 1])
{
    int count = 1;
    words[0] = "firn";
    for (; count <= EVERY_WORDS && command->words[count - 1] != NULL; count++) {
        const char *word = command->words[count - 1];
        words[count] = strcmp(word, "@") == 0 ? file : word;
    }
    return count;
}
