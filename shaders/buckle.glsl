// buckle.glsl: the force of Choi and Ko's buckled beam, pushing, as a function of chord over length.
//
// With q = (kappa L / 2)^2 the chord is S(q) = sin(sqrt q) / sqrt q = sum (-q)^n / (2n+1)!, and cos(sqrt q) - S(q) is
// -q T(q) with T(q) = sum (-q)^n / ((2n+1)! (2n+3)) = -2 S'(q). So the force f L^2 / k_b = 4 q / (q T) = 4 / T(q), where q
// solves S(q) = ratio: by Newton from a polynomial that is within 0.007, which leaves 4e-6 after one step, 1e-12 after two.
#ifdef WEFT_DOUBLE
#define BUCKLE_TERMS 14
#define BUCKLE_STEPS 2
#define buckle_real double
#else
#define BUCKLE_TERMS 9
#define BUCKLE_STEPS 1
#define buckle_real float
#endif

// S(q) and T(q), from the last term to the first.
void buckle_series(buckle_real q, out buckle_real chord, out buckle_real slope)
{
    chord = 1;
    slope = buckle_real(1) / (2 * BUCKLE_TERMS + 3);
    for (int n = BUCKLE_TERMS - 1; n >= 0; n--)
    {
        buckle_real factor = q * (buckle_real(1) / ((2 * n + 2) * (2 * n + 3)));
        chord = 1 - factor * chord;
        slope = buckle_real(1) / (2 * n + 3) - factor * slope;
    }
}

// For ratio in [0, 1].
buckle_real buckling_force(buckle_real ratio)
{
    buckle_real y = 1 - ratio, chord, slope;
    buckle_real q = y * buckle_real(5.117984354463383) - buckle_real(7.936118067482163);
    q = q * y + buckle_real(6.149181359609514);
    q = q * y + buckle_real(0.4077820887453073);
    q = q * y + buckle_real(6.12581190834522);
    q = q * y - buckle_real(0.0017650006403465354);
    for (int step = 0; step < BUCKLE_STEPS; step++)
    {
        buckle_series(q, chord, slope);
        q += (chord - ratio) * 2 / slope;
    }
    buckle_series(q, chord, slope);
    return 4 / slope;
}
