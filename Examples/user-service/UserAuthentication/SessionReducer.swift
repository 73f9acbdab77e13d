// SPDX-License-Identifier: Apache-2.0

import UserService

/// How answers change what the client knows, for the calls that say CUSTOM.
///
/// Tokens do not go in here: the state is shown, logged and compared, and a session is the only place that keeps them.
struct SessionReducer: UserManagerReducer {
    func register(_ request: RegisterRequest, answered answer: AuthResponse, state: inout UserManagerState) {
        adopt(answer, in: &state)
    }

    func login(_ request: LoginRequest, answered answer: AuthResponse, state: inout UserManagerState) {
        adopt(answer, in: &state)
    }

    func refreshToken(_ request: RefreshTokenRequest, answered answer: AuthResponse, state: inout UserManagerState) {
        adopt(answer, in: &state)
    }

    func verifyTwoFactor(
        _ request: VerifyTwoFactorRequest, answered answer: AuthResponse, state: inout UserManagerState
    ) {
        adopt(answer, in: &state)
    }

    /// What one person saw is not shown to the next.
    func logout(_ request: LogoutRequest, state: inout UserManagerState) { state = UserManagerState() }

    func getProfile(_ request: GetProfileRequest, answered answer: User, state: inout UserManagerState) {
        put(answer, in: &state)
    }

    /// An answer that waits for something is no session.
    private func adopt(_ answer: AuthResponse, in state: inout UserManagerState) {
        if let user = answer.user { put(user, in: &state) }
        guard var session = answer.session, session.isActive else { return }
        (session.accessToken, session.refreshToken) = ("", "")
        state = state.addingUserSession(session)
    }

    private func put(_ user: User, in state: inout UserManagerState) { state = state.addingUser(user) }
}
