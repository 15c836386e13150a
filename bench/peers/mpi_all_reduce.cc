// OpenMPI's MPI_Allreduce, in place.
//
//   mpirun -np 4 --oversubscribe --bind-to none --mca btl vader,self
//       mpi_all_reduce --ranks=4 --sizes=1K,64M --variant=shm
//
// The transport is mpirun's business; --variant is only the name that is
// printed.
#include <mpi.h>

#include "measure.h"
#include "options.h"

namespace podsim::peers {
namespace {

class MpiGroup : public Group {
 public:
  MpiGroup() {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks_);
  }
  int rank() const override { return rank_; }
  int ranks() const override { return ranks_; }
  void Barrier() override { MPI_Barrier(MPI_COMM_WORLD); }
  double Sum(double mine) override {
    MPI_Allreduce(MPI_IN_PLACE, &mine, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return mine;
  }

 private:
  int rank_ = 0;
  int ranks_ = 0;
};

AllReduce Make(std::span<float> values) {
  return [values] {
    MPI_Allreduce(MPI_IN_PLACE, values.data(), static_cast<int>(values.size()),
                  MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
  };
}

}  // namespace
}  // namespace podsim::peers

int main(int argc, char** argv) {
  using namespace podsim::peers;
  MPI_Init(&argc, &argv);
  const Options options = ParseOptions(argc, argv, {{"variant", "mpi"}});
  MpiGroup group;
  if (group.ranks() != options.ranks) Die("mpirun -np and --ranks differ");
  MeasureSizes(options, group, "openmpi", options.own.at("variant"), Make);
  MPI_Finalize();
}
