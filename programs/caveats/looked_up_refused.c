// A synchronisation function that nobody models is refused when it is called by its looked-up address.
// gabion: verdict=error message=eventfd
#include <dlfcn.h>
#include <pthread.h>

static int (*event)(unsigned, int);

static void *work(void *argument) {
    event(0, 0);
    return argument;
}

int main(void) {
    event = (int (*)(unsigned, int))dlsym(RTLD_DEFAULT, "eventfd");
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    pthread_join(thread, 0);
    return 0;
}
