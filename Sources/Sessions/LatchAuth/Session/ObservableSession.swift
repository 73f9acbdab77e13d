// SPDX-License-Identifier: Apache-2.0

public import Observation

/// A session's state for a view: observable properties on the main actor.
///
/// ```swift no-check
/// @State private var account = ObservableSession(session)
///
/// var body: some View {
///     if account.isSignedIn { Notes() } else { Login() }
/// }
/// ```
///
/// It restores the session when it is created, so that `isRestoring` becomes false without a call. It retains the
/// session. Each state lasts for at least one turn of the main actor, in order, so that an observer sees every change
/// once.
@MainActor @Observable
public final class ObservableSession<Value: SessionCredential> {
    /// The observed session, for signing in and out.
    public nonisolated let session: Session<Value>

    /// The current state of the session.
    public private(set) var state: SessionState<Value>

    /// The step-up that a server has required but the user has not completed; see `Session.stepUp`.
    public private(set) var stepUp: StepUpRequirement?

    /// The tasks that follow the session; each ends with this object.
    @ObservationIgnored private var followers: [Task<Void, Never>] = []

    /// Follows `session` from its current state on, and restores it if its store has not been read.
    public convenience init(_ session: Session<Value>) { self.init(session, restores: true) }

    /// Follows `session`, and leaves the restoration to the caller if `restores` is false.
    package init(_ session: Session<Value>, restores: Bool) {
        self.session = session
        state = session.currentState
        stepUp = session.stepUp
        // Each stream begins with the current state; an equal state notifies no observer.
        follow(session.states) { if $0.state != $1 { $0.state = $1 } }
        follow(session.stepUps) { if $0.stepUp != $1 { $0.stepUp = $1 } }
        if restores, case .unknown = state {
            Task {
                // A failure is a separate state, which this object shows as `unavailability`.
                do { try await session.restore() } catch {}
            }
        }
    }

    deinit { for follower in followers { follower.cancel() } }

    private func follow<Element: Sendable>(
        _ changes: AsyncStream<Element>, _ show: @escaping @MainActor (ObservableSession, Element) -> Void
    ) {
        let follower = Task { [weak self] in
            for await change in changes {
                if let self { show(self, change) }
                // Observers of this change run before the next one is published.
                await Task.yield()
            }
        }
        followers.append(follower)
    }

    /// Whether a user is signed in, with a fresh or an expired credential.
    public var isSignedIn: Bool { state.isSignedIn }

    /// Whether the store has not been read yet, so that it is unknown whether a user is signed in.
    public var isRestoring: Bool {
        switch state {
        case .unknown, .restoring: true
        case .signedIn, .expired, .signedOut, .unavailable: false
        }
    }

    /// Whether the credential has expired; the next use refreshes it.
    public var isExpired: Bool { if case .expired = state { true } else { false } }

    /// The reason why no user is signed in; nil in all other states.
    public var signedOutReason: SignedOutReason? { if case .signedOut(let reason) = state { reason } else { nil } }

    /// The error of a store that cannot be read; nil in all other states.
    public var unavailability: AuthError? { if case .unavailable(let error) = state { error } else { nil } }
}
