// More interleavings than anybody can run, and nothing wrong: an account of what was covered.
// gabion: verdict=partial
// gabion: args=--budget-runs 3000
#define COUNT hits++;
#define CHECK (void)limit_seen;
#include "hopeless.h"
