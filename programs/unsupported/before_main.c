// A constructor starts a thread before main, where runs begin: one clear message.
// gabion: verdict=error message="before main"
#include <pthread.h>

static pthread_t other;

static void *work(void *unused) { return unused; }

__attribute__((constructor)) static void start(void) { pthread_create(&other, NULL, work, NULL); }

int main(void) { pthread_join(other, NULL); }
