// SPDX-License-Identifier: Apache-2.0

import UserService

/// The state updates of the methods that are marked CUSTOM.
///
/// The tokens are removed: the state is shown, logged and compared, and only the session keeps them.
struct SessionReducer: UserManagerReducer {
    func register(_ request: RegisterRequest, response: AuthResponse, state: inout UserManagerState) {
        adopt(response, in: &state)
    }

    func login(_ request: LoginRequest, response: AuthResponse, state: inout UserManagerState) {
        adopt(response, in: &state)
    }

    func refreshToken(_ request: RefreshTokenRequest, response: AuthResponse, state: inout UserManagerState) {
        adopt(response, in: &state)
    }

    func verifyTwoFactor(
        _ request: VerifyTwoFactorRequest, response: AuthResponse, state: inout UserManagerState
    ) {
        adopt(response, in: &state)
    }

    /// Clears the state, so that the next user does not see it.
    func logout(_ request: LogoutRequest, state: inout UserManagerState) { state = UserManagerState() }

    func getProfile(_ request: GetProfileRequest, response: User, state: inout UserManagerState) {
        put(response, in: &state)
    }

    /// Adds the user and the session of a response; a response with a pending step has no active session.
    private func adopt(_ response: AuthResponse, in state: inout UserManagerState) {
        if let user = response.user { put(user, in: &state) }
        guard var session = response.session, session.isActive else { return }
        (session.accessToken, session.refreshToken) = ("", "")
        state = state.addingUserSession(session)
    }

    private func put(_ user: User, in state: inout UserManagerState) { state = state.addingUser(user) }
}
