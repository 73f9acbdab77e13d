// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchRPC
import TestTags
import Testing

/// A view model of an app: it follows a client on the main actor.
@MainActor private final class Follower {
    private(set) var ids: [String] = []
    private(set) var isLoading = false
    private var task: Task<Void, Never>?

    init(_ client: ShelfClient) {
        task = Task { [weak self] in
            for await state in client.stateStream {
                self?.ids = state.ids
                self?.isLoading = state.isLoading
            }
        }
    }

    deinit { task?.cancel() }
}

@Suite(.tags(.stateStream), .timeLimit(.minutes(5))) struct StateDeliveryTests {
    @Test @MainActor
    func `A follower of states on the main actor has seen the state when an action returns`() async throws {
        let client = ShelfClient(ShelfService())
        let follower = Follower(client)
        var late = 0
        for number in 0..<1_000 {
            try await client.process(.add(Book("\(number)")))
            if follower.ids.last != "\(number)" || follower.isLoading { late += 1 }
        }
        expectEqual(late, 0)
    }

    @Test @MainActor func `A follower of states on the main actor can call the client from its loop`() async throws {
        let client = ShelfClient(ShelfService())
        let follower = Task { @MainActor in
            for await state in client.stateStream {
                if state.ids == ["a"], !state.isLoading { try await client.process(.quiet(Book("b"))) }
                if state.ids == ["a", "b"] { return state.ids }
            }
            return []
        }
        try await client.process(.quiet(Book("a")))
        try await expectEqual(follower.value, ["a", "b"])
    }
}
