// SPDX-License-Identifier: Apache-2.0

/// What was done to a state since a sequence of actions began that may have to be taken back.
///
/// Updates are functions of a state. To take one run's back, all others are done again to the state as it was at the
/// beginning, in their order: what they did survives, and what they saw of the run's changes is gone.
struct UpdateLog<State: Sendable>: Sendable {
    private struct Entry: Sendable {
        var run: Int?
        let update: @Sendable (inout State) -> Void
    }

    private var start: State?
    private var entries: [Entry] = []
    private var openRuns: Set<Int> = []

    /// Begins to note updates, from the state on that is current.
    mutating func open(_ run: Int, at state: State) {
        if openRuns.isEmpty { start = state }
        openRuns.insert(run)
    }

    /// Notes an update that was done, where anybody may have to know.
    mutating func note(_ update: @escaping @Sendable (inout State) -> Void, of run: Int) {
        guard !openRuns.isEmpty else { return }
        entries.append(Entry(run: openRuns.contains(run) ? run : nil, update: update))
    }

    /// Lets the updates of a run stand.
    mutating func keep(_ run: Int) {
        openRuns.remove(run)
        guard openRuns.isEmpty else {
            for index in entries.indices where entries[index].run == run { entries[index].run = nil }
            return
        }
        (start, entries) = (nil, [])
    }

    /// Takes the updates of a run back.
    ///
    /// - Returns: The state without them; nil where nothing is to be done.
    mutating func takeBack(_ run: Int) -> State? {
        guard openRuns.contains(run), let start else { return nil }
        var state = start
        entries.removeAll { $0.run == run }
        for entry in entries { entry.update(&state) }
        keep(run)
        return state
    }
}
