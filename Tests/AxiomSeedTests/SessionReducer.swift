// SPDX-License-Identifier: Apache-2.0

import AxiomArchitecture
import UserService

/// The state updates of user service calls that the application defines.
///
/// The signed-in person is the first of the users as long as there is a session.
struct SessionReducer: UserManagerReducer {
    func register(_ request: RegisterRequest, response answer: AuthResponse, state: inout UserManagerState) {
        signIn(answer, &state)
    }

    func login(_ request: LoginRequest, response answer: AuthResponse, state: inout UserManagerState) {
        signIn(answer, &state)
    }

    func logout(_ request: LogoutRequest, state: inout UserManagerState) {
        state.sessions = []
        state.users = []
    }

    func refreshToken(_ request: RefreshTokenRequest, response answer: AuthResponse, state: inout UserManagerState) {
        guard let session = answer.session else { return }
        state.sessions = [session]
    }

    func getProfile(_ request: GetProfileRequest, response answer: User, state: inout UserManagerState) {
        if state.user(withId: answer.id) == nil { state.users.insert(answer, at: 0) }
        state = state.updatingUser(answer)
    }

    func verifyTwoFactor(
        _ request: VerifyTwoFactorRequest, response answer: AuthResponse, state: inout UserManagerState
    ) {
        signIn(answer, &state)
    }

    /// A1: who has still to prove something is not signed in.
    private func signIn(_ answer: AuthResponse, _ state: inout UserManagerState) {
        let isPending = answer.requiresVerification || answer.requires2fa || !answer.requiredActions.isEmpty
        guard !isPending, let user = answer.user, let session = answer.session else { return }
        state.users.removeAll { $0.id == user.id }
        state.users.insert(user, at: 0)
        state.sessions = [session]
    }
}
