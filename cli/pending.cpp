#include "cli/commands.hpp"
namespace parity::cli {
__attribute__((weak)) int diff(const DiffOptions&) { return 70; }
__attribute__((weak)) int selftest(const SelftestOptions&) { return 70; }
__attribute__((weak)) int golden_synthesize(const SynthesizeOptions&) { return 70; }
}
