// An instruction that only other processors have (XOP, of some that AMD made until 2016) is no bug of the program.
// gabion: verdict=error message="an instruction of XOP, which this processor does not have"
// gabion: native=no
#include <pthread.h>

static void *work(void *arg) {
    __asm__ volatile("vphaddbw %xmm0, %xmm1");
    return arg;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    pthread_join(thread, 0);
    return 0;
}
