/// firn/firn.h: the one include that a game needs.
#ifndef FIRN_H
#define FIRN_H

#include "firn/base.h"
#include "firn/bus.h"
#include "firn/class.h"
#include "firn/diff.h"
#include "firn/event.h"
#include "firn/file.h"
#include "firn/game.h"
#include "firn/image.h"
#include "firn/json.h"
#include "firn/persist.h"
#include "firn/plugin.h"
#include "firn/relation.h"
#include "firn/replace.h"
#include "firn/rewrite.h"
#include "firn/salvage.h"
#include "firn/save_file.h"
#include "firn/saves.h"
#include "firn/script.h"
#include "firn/snapshot.h"
#include "firn/storage.h"
#include "firn/value.h"
#include "firn/world.h"

#endif
