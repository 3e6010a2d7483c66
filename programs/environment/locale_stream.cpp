// A stream is made, for which the library asks for the locale very often at one line, while another thread changes that.
// gabion: verdict=complete
#include <clocale>
#include <sstream>
#include <thread>

int main() {
    std::thread t([] {
        std::ostringstream out;
        out << 1.5;
    });
    setlocale(LC_ALL, "C");
    t.join();
}
