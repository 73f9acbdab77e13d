// SPDX-License-Identifier: Apache-2.0

import LatchCore
import Synchronization

/// What a strategy has saved while it runs.
///
/// It stands for the token that the strategy is about to return: a sign-in of its own would make the renewal that it is
/// part of worthless.
final class RefreshNote: Sendable {
    /// The note of the renewal that the current task is part of.
    @TaskLocal static var current: RefreshNote?

    private let desk: ObjectIdentifier
    private let kept = Mutex<(token: (any Sendable)?, isClosed: Bool)>((nil, false))

    init(desk: AnyObject) { self.desk = ObjectIdentifier(desk) }

    /// The token that was saved last.
    var saved: (any Sendable)? { kept.withLock { $0.token } }

    /// Takes a token, unless the renewal is over: a task that outlives it saves as everybody else does.
    func take(_ token: any Sendable) -> Bool {
        kept.withLock { kept in
            guard !kept.isClosed else { return false }
            kept.token = token
            return true
        }
    }

    /// Ends the note with its renewal.
    func close() { kept.withLock { $0.isClosed = true } }

    /// The current note, where the current task is part of a renewal at `desk` that is not over.
    static func ofRenewal(at desk: AnyObject) -> RefreshNote? {
        current.flatMap { note in
            note.desk == ObjectIdentifier(desk) && !note.kept.withLock({ $0.isClosed }) ? note : nil
        }
    }
}
