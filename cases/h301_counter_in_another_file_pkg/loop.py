import tensorflow as tf

from .steps import train


def main():
    for i in range(40):
        loss = train(tf.ones((4, 32)), i)  # <<<
    print(float(loss))


if __name__ == "__main__":
    main()
