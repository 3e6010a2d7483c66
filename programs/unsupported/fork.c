// fork inside a checked program: one clear message.
// gabion: verdict=error message=fork
// gabion: args=--preempt sync
#include <sys/wait.h>
#include <unistd.h>

int main(void) {
    if (fork() == 0)
        _exit(0);
    wait(NULL);
    return 0;
}
