// The table of chip figures, in one place. Keys in brackets name the source;
// docs/hardware.md says what each key is, how good it is and what else was
// published.
#include "base/status.h"
#include "base/units.h"
#include "interconnect/topology/slice.h"

namespace podsim {
namespace {

constexpr double kMega = 1e6;
constexpr double kGiga = 1e9;

// A 128x128 array does 16,384 multiply-adds per cycle [D-arch].
constexpr double kFlopsPerUnitCycle = 2.0 * 128 * 128;

// One ICI hop: rule of thumb for later generations [SB-shard]; for v2 and v3
// no figure was found, so this one is assumed.
constexpr double kAssumedHopSeconds = 1e-6;

ChipFigures V2() {
  ChipFigures chip;
  chip.name = "v2";
  chip.clock_hz = 700 * kMega;         // [CACM-n1]
  chip.matrix_units_per_core = 1;      // [CACM-n1]
  chip.hbm_bytes_per_core = 8 * kGiB;  // 16 GiB a chip [D-regions-old][TPUINFO]
  // 700 GB/s a chip [CACM-n1][NORRIE-n].
  chip.hbm_bytes_per_second_per_core = 700 * kGiga / kCoresPerChip;
  chip.link_bytes_per_second = 62 * kGiga;  // 496 Gbit/s [CACM-n1][PAR-sim]
  chip.pod_x = 16;                          // [D-v2][CACM-n1]
  chip.pod_y = 16;
  return chip;
}

ChipFigures V3() {
  ChipFigures chip;
  chip.name = "v3";
  chip.clock_hz = 940 * kMega;          // [CACM-n1]
  chip.matrix_units_per_core = 2;       // [D-v3]
  chip.hbm_bytes_per_core = 16 * kGiB;  // 32 GiB a chip [D-v3]
  // 900 GB/s a chip [D-v3].
  chip.hbm_bytes_per_second_per_core = 900 * kGiga / kCoresPerChip;
  chip.link_bytes_per_second = 82 * kGiga;  // 656 Gbit/s [CACM-n1]
  chip.pod_x = 32;                          // [D-v3][CACM-n1]
  chip.pod_y = 32;
  return chip;
}

// Peak follows from units and clock: 22.9 and 61.6 TFLOP/s a core, where the
// vendor prints 23 and 61.5 (46 and 123 a chip).
ChipFigures WithDerived(ChipFigures chip) {
  chip.matrix_flops_per_core =
      chip.matrix_units_per_core * kFlopsPerUnitCycle * chip.clock_hz;
  chip.hop_seconds = kAssumedHopSeconds;
  return chip;
}

}  // namespace

const ChipFigures& FiguresOf(std::string_view generation) {
  static const ChipFigures kV2 = WithDerived(V2());
  static const ChipFigures kV3 = WithDerived(V3());
  PODSIM_CHECK(generation == "v2" || generation == "v3");
  return generation == "v2" ? kV2 : kV3;
}

}  // namespace podsim
