// As working_directory.c, the other way round.
// gabion: verdict=bug kind=assertion
#include <assert.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

static void *leave(void *unused) {
    assert(chdir("/") == 0);
    return unused;
}

int main(void) {
    char here[64];
    pthread_t other;
    pthread_create(&other, NULL, leave, NULL);
    assert(chdir("/proc") == 0);
    pthread_join(other, NULL);
    assert(getcwd(here, sizeof here) && strcmp(here, "/") == 0);
}
