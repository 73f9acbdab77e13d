// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchFoundation
import LatchRPC

/// A client whose state is the list of what was done, without a limit, so that a lost update is seen.
actor TallyClient: ServiceClient {
    nonisolated let core: ClientCore<TallyState>
    private let call: @Sendable (Int) async throws -> Void
    /// Called by the hooks, on the actor.
    var willUpdate: @Sendable (isolated TallyClient, TallyState) -> Void = { _, _ in }
    var didUpdate: @Sendable (isolated TallyClient, TallyState) -> Void = { _, _ in }

    init(settings: ClientSettings = ClientSettings(), _ call: @escaping @Sendable (Int) async throws -> Void = { _ in })
    {
        core = ClientCore(TallyState(), settings: settings)
        self.call = call
    }

    func perform(_ action: TallyAction, in run: ActionRun) async throws {
        try await perform(action, Book("\(action.number)"), in: run) { [call] _, _ in
            try await call(action.number)
        } change: { state in
            state.done.append(action.number)
        }
    }

    func stateWillUpdate(from old: TallyState, to new: TallyState) { willUpdate(self, new) }
    func stateDidUpdate(from old: TallyState, to new: TallyState) { didUpdate(self, new) }

    func onUpdate(_ hook: @escaping @Sendable (isolated TallyClient, TallyState) -> Void) { didUpdate = hook }
}

struct TallyAction: ServiceAction {
    let number: Int
    var isShown = true

    init(_ number: Int, isShown: Bool = true) { (self.number, self.isShown) = (number, isShown) }

    var request: any Message { Book("\(number)") }
    var validationErrors: [String] { number < 0 ? ["number must not be negative"] : [] }
    var traits: ActionTraits { ActionTraits("tally", .custom, showsLoading: isShown) }
}

struct TallyState: ServiceState {
    var done: [Int] = []
    var isLoading = false
    var error: ShelfFailure?
    var lastUpdated: Date?
    var isStale = false
}
