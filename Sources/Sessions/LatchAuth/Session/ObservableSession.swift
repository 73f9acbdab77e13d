// SPDX-License-Identifier: Apache-2.0

public import Observation

/// What a session knows, for a view: properties on the main actor that follow it and say when they change.
///
/// ```swift
/// @State private var account = ObservableSession(session)
///
/// var body: some View {
///     if account.isSignedIn { Notes() } else { Login() }
/// }
/// ```
///
/// It holds the session and ends with whoever holds it. Each state is there for at least one turn of the main actor, in
/// order, so that an observer sees every change once.
@MainActor @Observable
public final class ObservableSession<Value: SessionCredential> {
    /// The session that it follows, to sign in and out with.
    public nonisolated let session: Session<Value>

    /// What the session knows.
    public private(set) var state: SessionState<Value>

    /// What a server has asked of the person and not got yet; see `Session.stepUp`.
    public private(set) var stepUp: StepUpRequirement?

    /// What follows the session; each ends with this object.
    @ObservationIgnored private var followers: [Task<Void, Never>] = []

    /// Follows `session` from its state at this moment on.
    public init(_ session: Session<Value>) {
        self.session = session
        let states = session.broadcast.currentAndChanges()
        let stepUps = session.stepUpBroadcast.currentAndChanges()
        state = states.current
        stepUp = stepUps.current
        follow(states.changes) { $0.state = $1 }
        follow(stepUps.changes) { $0.stepUp = $1 }
    }

    deinit { for follower in followers { follower.cancel() } }

    private func follow<Element: Sendable>(
        _ changes: AsyncStream<Element>, _ show: @escaping @MainActor (ObservableSession, Element) -> Void
    ) {
        let follower = Task { [weak self] in
            for await change in changes {
                if let self { show(self, change) }
                // Who was told of this change is let look at it before the next one comes.
                await Task.yield()
            }
        }
        followers.append(follower)
    }

    /// Whether somebody is signed in, be the credential fresh or expired.
    public var isSignedIn: Bool { state.isSignedIn }

    /// Whether it is not known yet who is signed in: the store is unread, or being read.
    public var isRestoring: Bool {
        switch state {
        case .unknown, .restoring: true
        case .signedIn, .expired, .signedOut, .unavailable: false
        }
    }

    /// Whether the credential's time is over; the next use renews it.
    public var isExpired: Bool { if case .expired = state { true } else { false } }

    /// Why nobody is signed in; nil where somebody is, or where that is not known.
    public var signedOutReason: SignedOutReason? { if case .signedOut(let reason) = state { reason } else { nil } }

    /// Why the store cannot be read; nil where it can.
    public var unavailability: AuthError? { if case .unavailable(let error) = state { error } else { nil } }
}
