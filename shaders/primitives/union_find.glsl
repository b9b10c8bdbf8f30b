// union_find.glsl: a forest of vertices that many threads join at once, without locks.
//
// A root is its own parent; any other vertex has a parent of lower index, so that there are no
// cycles and the root of a finished tree is the lowest index in it. Parents are only replaced by
// ancestors. What a thread reads may therefore be out of date, but is always an ancestor; the
// one change that counts, of a root, is made by compare and swap. (The scheme of Jaiganesh and
// Burtscher, A High-Performance Connected Components Implementation for GPUs, 2018.)

// An ancestor that was the root when it was read; shortens the way on the go.
uint find_root(SharedUints parents, uint vertex)
{
    uint parent = parents.at[vertex];
    while (parent != vertex)
    {
        uint next = parents.at[parent];
        if (next == parent)
            return parent;
        parents.at[vertex] = next;
        vertex = parent;
        parent = next;
    }
    return vertex;
}

// Joins the trees of two vertices. Every failed attempt brings back a lower ancestor, so that the
// loop ends whatever other threads do.
void join(SharedUints parents, uint a, uint b)
{
    a = find_root(parents, a);
    b = find_root(parents, b);
    while (a != b)
    {
        uint high = max(a, b), low = min(a, b);
        uint seen = atomicCompSwap(parents.at[high], high, low);
        if (seen == high)
            return;
        a = find_root(parents, seen);
        b = low;
    }
}
