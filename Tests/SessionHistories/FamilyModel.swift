// SPDX-License-Identifier: Apache-2.0

/// The state of a family of refresh tokens.
package enum FamilyState: Sendable, Hashable {
    /// The last rotation, as far as an observer knows it.
    package struct Rotation: Sendable, Hashable {
        /// The Idempotency-Key of its request.
        let key: String?
        /// The time before which it did not happen.
        let earliest: Duration
        /// The time after which it did not happen; nil if its answer is missing.
        let latest: Duration?
    }

    /// The login has not happened.
    case absent
    /// The device is signed in, with the newest token and the one that it replaced.
    case active(IssuedToken, replaced: IssuedToken?, by: Rotation?)
    /// The device is signed out.
    case revoked
}

/// The sequential specification of a family (Decision 0008): the states in which each operation may leave it.
package struct FamilyModel: Sendable {
    /// The time in which a replaced token yields the same successor.
    package let replayWindow: Duration
    /// The same for requests with the Idempotency-Key of the rotation.
    package let keyedReplayWindow: Duration

    package init(replayWindow: Duration = .seconds(30), keyedReplayWindow: Duration = .seconds(86_400)) {
        self.replayWindow = replayWindow
        self.keyedReplayWindow = keyedReplayWindow
    }

    /// Returns the states after an operation with its answer; none if it cannot be answered so in `state`.
    ///
    /// A few are possible where the observer cannot tell whether a window had ended.
    func states(after operation: FamilyOperation, from state: FamilyState) -> [FamilyState] {
        switch operation.action {
        case .signIn: signedIn(operation, state)
        case .refresh(let token, let key): refreshed(operation, token, key, state)
        case .read: isAnswered(operation, in: state) ? [state] : []
        case .signOut, .signOutEverywhere, .changePassword:
            if operation.outcome == .refused {
                isAnswered(operation, in: state) ? [state] : []
            } else {
                state == .absent ? [.absent] : [.revoked]
            }
        }
    }

    /// Returns whether an access token is accepted or refused rightly.
    private func isAnswered(_ operation: FamilyOperation, in state: FamilyState) -> Bool {
        guard case .active = state else { return operation.outcome != .accepted }
        return operation.outcome != .refused
    }

    private func signedIn(_ operation: FamilyOperation, _ state: FamilyState) -> [FamilyState] {
        guard state == .absent else { return [] }
        switch operation.outcome {
        case .issued(let token): return [.active(token, replaced: nil, by: nil)]
        case .unknown: return [.active(IssuedToken(generation: 0, text: nil), replaced: nil, by: nil)]
        case .accepted, .refused: return []
        }
    }

    private func refreshed(
        _ operation: FamilyOperation, _ token: IssuedToken, _ key: String?, _ state: FamilyState
    ) -> [FamilyState] {
        guard case .active(let current, let replaced, let rotation) = state else { return refused(operation, state) }
        if token.matches(current) {
            let next = FamilyState.Rotation(key: key, earliest: operation.start, latest: operation.end)
            let successor = IssuedToken(generation: current.generation + 1, text: nil)
            switch operation.outcome {
            case .issued(let issued) where issued.matches(successor):
                return [.active(issued, replaced: token, by: next)]
            case .unknown: return [.active(successor, replaced: token, by: next)]
            case .issued, .accepted, .refused: return []
            }
        }
        if let replaced, let rotation, token.matches(replaced) {
            let ages = ages(of: rotation, in: operation)
            let window = key != nil && key == rotation.key ? keyedReplayWindow : replayWindow
            switch operation.outcome {
            case .issued(let issued) where issued.matches(current) && ages.least <= window:
                return [.active(issued, replaced: token, by: rotation)]
            case .refused, .unknown: return ages.greatest.map { $0 > window } ?? true ? [.revoked] : []
            case .issued, .accepted: return []
            }
        }
        // RFC 9700 §4.14.2: a token older than the replaced one was copied, and whoever has the copy gets nothing.
        if token.generation < current.generation - 1 { return refused(operation, .revoked) }
        // A text that this family never had.
        return refused(operation, state)
    }

    /// Returns a state after a request that is refused; none if it was answered otherwise.
    private func refused(_ operation: FamilyOperation, _ state: FamilyState) -> [FamilyState] {
        operation.outcome == .refused || operation.outcome == .unknown ? [state] : []
    }

    /// Returns the least and the greatest age that a rotation may have at the time of an operation.
    private func ages(
        of rotation: FamilyState.Rotation, in operation: FamilyOperation
    ) -> (least: Duration, greatest: Duration?) {
        let least = rotation.latest.map { max(.zero, operation.start - $0) } ?? .zero
        return (least, operation.end.map { $0 - rotation.earliest })
    }
}
