// gabion: verdict=error message=noted
// gabion: args=--ignore-symbol note_d
// So for variables.
#include "log.h"
