// So do the texts that a result points to: the group's name.
// gabion: verdict=bug kind=assertion
#include <assert.h>
#include <grp.h>
#include <pthread.h>
#include <string.h>

static void *work(void *arg) {
    getgrgid(1);
    return arg;
}

int main(void) {
    pthread_t other;
    pthread_create(&other, 0, work, 0);
    const char *name = getgrgid(0)->gr_name;
    int root = strcmp(name, "root") == 0;
    pthread_join(other, 0);
    assert(root);
    return 0;
}
