// The twin shares its stream.
// gabion: verdict=bug kind=race
// gabion: args=--cflags -std=c++20 --races deny
#include <sstream>
#include <thread>

static std::ostringstream out;

int main() {
    std::thread t([] { out << 1; });
    out << 2;
    t.join();
}
