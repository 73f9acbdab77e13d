// SPDX-License-Identifier: Apache-2.0

import LatchCore
import Nevod

/// A storage with the token `old`, which the backend of these tests rejects.
func oldTokens(clock: WallClock = .system) async -> TokenStorage<Token> {
    let storage = TokenStorage<Token>(storage: InMemoryStorage(), clock: clock)
    await storage.save(Token(value: "old"))
    return storage
}
