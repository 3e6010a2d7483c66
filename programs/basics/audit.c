// A transfer locks each account in turn; an audit between the two sees money missing.
// gabion: verdict=bug kind=assertion
// gabion: args=--preempt sync
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t la = PTHREAD_MUTEX_INITIALIZER, lb = PTHREAD_MUTEX_INITIALIZER;
static int a = 50, b = 50;

static void *transfer(void *arg) {
    pthread_mutex_lock(&la);
    a -= 10;
    pthread_mutex_unlock(&la);
    pthread_mutex_lock(&lb);
    b += 10;
    pthread_mutex_unlock(&lb);
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, transfer, NULL);
    pthread_mutex_lock(&la);
    pthread_mutex_lock(&lb);
    int sum = a + b;
    pthread_mutex_unlock(&lb);
    pthread_mutex_unlock(&la);
    pthread_join(t, NULL);
    assert(sum == 100);
    return 0;
}
