// SPDX-License-Identifier: Apache-2.0

public import LatchAuth
public import LatchTexts
public import Observation

/// The decision between an app's content and its sign-in, from the state of its session.
public struct SessionGateState: Hashable, Sendable {
    /// The part of the app that is shown.
    public enum Phase: Hashable, Sendable {
        /// The store is being read: neither part is shown, so that the sign-in does not flash at the start.
        case restoring
        /// The content.
        case signedIn
        case signedOut
        /// The store cannot be read, which is not a sign-out.
        case unavailable
    }

    /// The part of the app that is shown.
    public let phase: Phase
    /// The notice above the sign-in; nil for none.
    public let notice: Phrase?
    /// The authentication that a server requires of the signed-in user; usually nil.
    public let stepUp: StepUpRequirement?

    /// Creates the decision for a state.
    ///
    /// - Parameters:
    ///   - state: The state of the session.
    ///   - stepUp: The pending step-up of the session.
    ///   - isDismissed: Whether the user has dismissed it, and no request was refused for it since.
    public init<Value>(_ state: SessionState<Value>, stepUp: StepUpRequirement? = nil, isDismissed: Bool = false) {
        switch state {
        case .unknown, .restoring: (phase, notice) = (.restoring, nil)
        case .signedIn, .expired: (phase, notice) = (.signedIn, nil)
        case .signedOut(.issuer): (phase, notice) = (.signedOut, Phrase("failure.signedOut"))
        case .signedOut(.noAccount), .signedOut(.user): (phase, notice) = (.signedOut, nil)
        case .unavailable(let error): (phase, notice) = (.unavailable, ScreenFailure(error).phrase)
        }
        self.stepUp = phase == .signedIn && !isDismissed ? stepUp : nil
    }

    private init(phase: Phase, notice: Phrase?, stepUp: StepUpRequirement?) {
        (self.phase, self.notice, self.stepUp) = (phase, notice, stepUp)
    }

    /// Returns the decision with a notice above the sign-in, unless there is one already.
    func adding(_ news: Phrase?) -> SessionGateState {
        guard let news, phase == .signedOut, notice == nil else { return self }
        return SessionGateState(phase: phase, notice: news, stepUp: stepUp)
    }

    /// The controls while neither content nor sign-in is shown, and the notice above the sign-in.
    public var controls: [Control] {
        switch phase {
        case .restoring: [Control(.progress, .progress, Phrase("progress"))]
        case .signedIn: []
        case .signedOut: notice.map { [.notice(.warning, $0)] } ?? []
        case .unavailable:
            [
                .notice(.failure, notice ?? Phrase("failure.storeUnavailable"), id: .failure),
                .button(.retry, .primary, Phrase("button.retry")),
            ]
        }
    }
}

/// The gate of a session for a view: it restores the session, and follows its state.
///
/// ```swift no-check
/// @State private var gate = SessionGateModel(client.session)
/// ```
@MainActor @Observable
public final class SessionGateModel<Value: SessionCredential> {
    /// The session's state.
    public let session: ObservableSession<Value>
    /// The number of requests that were refused because they require a step-up.
    private var refusals: Int
    /// The number of refusals when the user dismissed the step-up: a later refusal shows it again.
    private var dismissed: Int?

    @ObservationIgnored private var follower: Task<Void, Never>?

    /// Follows a session.
    public init(_ session: Session<Value>) {
        self.session = ObservableSession(session)
        refusals = session.stepUpRefusals
        let counts = session.stepUpRefusalCounts
        follower = Task { [weak self] in
            for await count in counts where self?.refusals != count { self?.refusals = count }
        }
    }

    deinit { follower?.cancel() }

    /// The decision.
    public var gate: SessionGateState {
        SessionGateState(session.state, stepUp: session.stepUp, isDismissed: dismissed.map { $0 >= refusals } ?? false)
    }

    /// Whether this model has the session's current state; notifications of it arrive later.
    var isCurrent: Bool {
        let current = session.session
        return session.state == current.currentState && session.stepUp == current.stepUp
            && refusals == current.stepUpRefusals
    }

    /// Returns a model with the session's current state, which may be newer than the last notification.
    func renewed() -> SessionGateModel {
        let model = SessionGateModel(session.session)
        model.dismissed = dismissed
        return model
    }

    /// Reads the store once more; a failure is the state of the session.
    public func retry() async {
        // The state of the session says what failed.
        do { try await session.session.restore() } catch {}
    }

    /// Hides the pending step-up, until the next request requires it.
    public func dismissStepUp() { dismissed = session.session.stepUpRefusals }
}
