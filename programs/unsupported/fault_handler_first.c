// A thread whose first visible operation is in its handler of a fault, which runs on the one signal stack.
// gabion: verdict=error message="handler of a fault"
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/mman.h>

static char *page;
static atomic_int handled;

static void handler(int signal) {
    (void)signal;
    handled++;
    mprotect(page, 4096, PROT_READ | PROT_WRITE);
}

static void *work(void *arg) {
    page[8] = 1;
    return arg;
}

int main(void) {
    struct sigaction action = {.sa_handler = handler};
    pthread_t t;
    page = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    sigaction(SIGSEGV, &action, NULL);
    pthread_create(&t, NULL, work, NULL);
    page[0] = 1;
    pthread_join(t, NULL);
    return 0;
}
