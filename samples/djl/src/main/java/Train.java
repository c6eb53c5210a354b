import ai.djl.Device;
import ai.djl.Model;
import ai.djl.ndarray.NDList;
import ai.djl.ndarray.NDManager;
import ai.djl.ndarray.types.DataType;
import ai.djl.ndarray.types.Shape;
import ai.djl.nn.Activation;
import ai.djl.nn.Parameter;
import ai.djl.nn.SequentialBlock;
import ai.djl.nn.core.Linear;
import ai.djl.nn.norm.BatchNorm;
import ai.djl.training.DefaultTrainingConfig;
import ai.djl.training.EasyTrain;
import ai.djl.training.Trainer;
import ai.djl.training.dataset.Batch;
import ai.djl.training.loss.Loss;
import ai.djl.training.optimizer.Optimizer;
import ai.djl.training.tracker.Tracker;
import ai.djl.translate.Batchifier;
import io.hearth.djl.HearthListener;
import java.util.Arrays;

/** Learns the sum of a row with one other machine, each from its own rows: start it on both. Its one line of Hearth is marked. */
public final class Train {
    private static final int STEPS = 60;
    private static final int ROWS = 32;
    private static final int INPUTS = 6;

    private Train() {}

    public static void main(String[] arguments) throws Exception {
        try (Model model = Model.newInstance("sum", Device.cpu())) {
            model.setBlock(new SequentialBlock()
                    .add(Linear.builder().setUnits(16).build())
                    .add(BatchNorm.builder().build())
                    .add(Activation::relu)
                    .add(Linear.builder().setUnits(1).build()));
            var config = new DefaultTrainingConfig(Loss.l2Loss())
                    .optOptimizer(Optimizer.adam()
                            .optLearningRateTracker(Tracker.fixed(0.02f))
                            .build())
                    .optDevices(new Device[] {Device.cpu()})
                    .addTrainingListeners(HearthListener.join(2)); // waits for the other machine, and averages gradients
            try (Trainer trainer = model.newTrainer(config)) {
                trainer.initialize(new Shape(ROWS, INPUTS));
                for (int step = 0; step < STEPS; step++) {
                    try (Batch batch = batch(trainer.getManager())) {
                        EasyTrain.trainBatch(trainer, batch);
                        trainer.step();
                        if (step == 0 || step == STEPS - 1) {
                            System.out.println("loss " + loss(trainer, batch));
                        }
                    }
                }
                for (Parameter each : model.getBlock().getParameters().values()) {
                    System.out.println("values " + each.getName() + " "
                            + Arrays.hashCode(each.getArray().toFloatArray()));
                }
            }
        }
    }

    private static float loss(Trainer trainer, Batch batch) {
        NDList predicted = trainer.evaluate(batch.getData());
        return trainer.getLoss().evaluate(batch.getLabels(), predicted).getFloat();
    }

    /** Rows whose sum is to be learnt. */
    private static Batch batch(NDManager manager) {
        NDManager own = manager.newSubManager();
        var rows = own.randomUniform(-1, 1, new Shape(ROWS, INPUTS), DataType.FLOAT32);
        var sums = rows.sum(new int[] {1}, true);
        return new Batch(own, new NDList(rows), new NDList(sums), ROWS, Batchifier.STACK, Batchifier.STACK, 0, STEPS);
    }
}
