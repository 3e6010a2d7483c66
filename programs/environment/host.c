// gethostbyname's result, an address that needs no look-up, is overwritten by the other thread's call.
// gabion: verdict=bug kind=assertion
#include <arpa/inet.h>
#include <assert.h>
#include <netdb.h>
#include <pthread.h>
#include <string.h>

static void *work(void *arg) {
    gethostbyname("10.0.0.2");
    return arg;
}

int main(void) {
    pthread_t other;
    struct in_addr mine;
    pthread_create(&other, 0, work, 0);
    struct hostent *entry = gethostbyname("10.0.0.1");
    memcpy(&mine, entry->h_addr_list[0], sizeof mine);
    pthread_join(other, 0);
    assert(ntohl(mine.s_addr) == 0x0a000001);
    return 0;
}
