// SPDX-License-Identifier: Apache-2.0

import LatchTexts
public import Observation

/// The state of the device's connection, for a banner above the content.
///
/// A screen does not ask it before a request: only the request itself knows whether a server can be reached.
@MainActor @Observable
public final class ConnectionModel {
    /// Whether the device is known to be offline.
    public private(set) var isOffline = false

    @ObservationIgnored private var follower: Task<Void, Never>?

    /// Follows the changes of a connection, of which each element says whether there is one.
    public init<Changes: AsyncSequence<Bool, Never> & Sendable>(_ changes: Changes) {
        follower = Task { [weak self] in
            for await isConnected in changes { self?.isOffline = !isConnected }
        }
    }

    deinit { follower?.cancel() }

    /// The controls of the banner; none while there is a connection.
    public var controls: [Control] {
        isOffline ? [.notice(.warning, Phrase("connection.offline"))] : []
    }
}
