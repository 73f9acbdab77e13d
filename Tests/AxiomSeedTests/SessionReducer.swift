// SPDX-License-Identifier: Apache-2.0

import AxiomArchitecture
import UserService

/// The state updates of user service calls that the application defines.
///
/// The signed-in user is the first of the users as long as there is a session.
struct SessionReducer: UserManagerReducer {
    func register(_ request: RegisterRequest, response: AuthResponse, state: inout UserManagerState) {
        signIn(response, &state)
    }

    func login(_ request: LoginRequest, response: AuthResponse, state: inout UserManagerState) {
        signIn(response, &state)
    }

    func logout(_ request: LogoutRequest, state: inout UserManagerState) {
        state.sessions = []
        state.users = []
    }

    func refreshToken(_ request: RefreshTokenRequest, response: AuthResponse, state: inout UserManagerState) {
        guard let session = response.session else { return }
        state.sessions = [session]
    }

    func getProfile(_ request: GetProfileRequest, response: User, state: inout UserManagerState) {
        if state.user(withId: response.id) == nil { state.users.insert(response, at: 0) }
        state = state.updatingUser(response)
    }

    func verifyTwoFactor(
        _ request: VerifyTwoFactorRequest, response: AuthResponse, state: inout UserManagerState
    ) {
        signIn(response, &state)
    }

    /// A1: a user with a pending verification is not signed in.
    private func signIn(_ response: AuthResponse, _ state: inout UserManagerState) {
        let isPending = response.requiresVerification || response.requires2fa || !response.requiredActions.isEmpty
        guard !isPending, let user = response.user, let session = response.session else { return }
        state.users.removeAll { $0.id == user.id }
        state.users.insert(user, at: 0)
        state.sessions = [session]
    }
}
