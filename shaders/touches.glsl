// touches.glsl: contact springs at the rows of the matrix: the corners of a pair are coupled by their weights,
//   (A v)_i += w_i (alpha I + beta n n^T) sum over the other corners of w_j v_j

struct Touches
{
    bool  any; // whether a contact spring is in the matrix
    uint  stride;
    Uints begin, list, flags, corner;
    Reals weight, normal, alpha, beta;
};

#define TOUCHES                                                                                    \
    Touches(ENGINE.pair_counts.at[PAIR_JOINING] > 0, ENGINE.pair_capacity, ENGINE.touch_begin,     \
            ENGINE.touch, ENGINE.pair_flags, ENGINE.pair_corner, ENGINE.pair_weight,               \
            ENGINE.pair_normal, ENGINE.pair_alpha, ENGINE.pair_beta)

// w (alpha I + beta n n^T) v at one corner of a pair
real3 touch_product(Touches touches, uint pair, uint corner, real3 v)
{
    real3 n = load3(touches.normal, touches.stride, pair);
    return touches.weight.at[corner * touches.stride + pair] *
           (touches.alpha.at[pair] * v + touches.beta.at[pair] * dot(n, v) * n);
}

// Adds the contact springs of row i to `sum`; VALUE(j) is the vector's value at particle j.
#define ADD_TOUCHES(touches, i, sum, VALUE)                                                        \
    if (touches.any)                                                                               \
        for (uint k = touches.begin.at[i], end = touches.begin.at[i + 1]; k < end; k++)            \
        {                                                                                          \
            uint pair = touches.list.at[k] / 4, corner = touches.list.at[k] % 4;                   \
            if ((touches.flags.at[pair] & PAIR_IMPLICIT) == 0)                                     \
                continue;                                                                          \
            real3 rest = real3(0);                                                                 \
            for (uint place = pair, other = 0; other < 4; other++, place += touches.stride)        \
                if (other != corner)                                                               \
                    rest += touches.weight.at[place] * VALUE(touches.corner.at[place]);            \
            sum += touch_product(touches, pair, corner, rest);                                     \
        }
