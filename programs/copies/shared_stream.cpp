// Two threads write to one stream in memory, bit by bit.
// gabion: verdict=complete caveat=whole-copies
#include <sstream>
#include <thread>

static std::ostringstream stream;

int main() {
    std::thread t([] { stream << 1; });
    stream << 2;
    t.join();
}
