// SPDX-License-Identifier: Apache-2.0

// The views that seed 000's tutorial names and leaves out, as screens of LatchUI over its client.

#if canImport(SwiftUI)
import LatchAccounts
import LatchRPC
import LatchUI
import SwiftUI
import UserAuthentication
import UserService

/// The models of the screens.
@MainActor
final class AccountScreens {
    let registration: RegistrationModel
    let passwordReset: PasswordResetModel
    let changePassword: ChangePasswordModel

    init(client: UserManagerClient) {
        registration = RegistrationModel(RegistrationScreen()) { request in
            switch request {
            case .signUp(let name, let email, let password, _, _):
                let request = RegisterRequest(email: email, password: password.value, firstName: name)
                try await client.process(.register(request))
                return .signedUp(email: email)
            }
        }
        passwordReset = PasswordResetModel(PasswordResetScreen()) { request in
            switch request {
            case .send(let email):
                try await client.process(.requestPasswordReset(PasswordResetRequest(email: email)))
                return .sent(email: email)
            case .reset(let token, let password, _):
                let request = ResetPasswordRequest(resetToken: token.value, newPassword: password.value)
                try await client.process(.resetPassword(request))
                return .reset
            }
        }
        changePassword = ChangePasswordModel(ChangePasswordScreen()) { request in
            switch request {
            case .change(let current, let new, let signsOutOthers):
                let request = ChangePasswordRequest(
                    currentPassword: current.value, newPassword: new.value, logoutOtherSessions: signsOutOthers)
                try await client.process(.changePassword(request))
                return .changed
            }
        }
    }

    static func profile(of user: User, client: UserManagerClient) -> EditProfileModel {
        var profile = AccountProfile(id: user.id, email: user.email)
        (profile.firstName, profile.lastName) = (user.firstName, user.lastName)
        return EditProfileModel(EditProfileScreen(profile: profile)) { request in
            switch request {
            case .save(let profile):
                let request = UpdateProfileRequest(
                    userId: profile.id, firstName: profile.firstName, lastName: profile.lastName)
                try await client.process(.updateProfile(request))
                return .saved(profile)
            }
        }
    }
}

struct RegistrationView: View {
    @EnvironmentObject var authManager: AuthenticationManager
    var body: some View { AccountForm(client: authManager.client) { LatchUI.RegistrationView($0.registration) } }
}

struct PasswordResetView: View {
    @EnvironmentObject var authManager: AuthenticationManager
    var body: some View { AccountForm(client: authManager.client) { LatchUI.PasswordResetView($0.passwordReset) } }
}

struct ChangePasswordView: View {
    @EnvironmentObject var authManager: AuthenticationManager
    var body: some View { AccountForm(client: authManager.client) { LatchUI.ChangePasswordView($0.changePassword) } }
}

/// A view over models that last as long as it is shown.
private struct AccountForm<Content: View>: View {
    @State private var screens: AccountScreens
    private let content: (AccountScreens) -> Content

    init(client: UserManagerClient, @ViewBuilder content: @escaping (AccountScreens) -> Content) {
        _screens = State(initialValue: AccountScreens(client: client))
        self.content = content
    }

    var body: some View { content(screens) }
}

struct EditProfileView: View {
    @EnvironmentObject var authManager: AuthenticationManager
    var body: some View {
        if let user = authManager.currentUser { EditProfileForm(user: user, client: authManager.client) }
    }
}

private struct EditProfileForm: View {
    @State private var model: EditProfileModel

    init(user: User, client: UserManagerClient) {
        _model = State(initialValue: AccountScreens.profile(of: user, client: client))
    }

    var body: some View { LatchUI.EditProfileView(model) }
}

struct RoleBadge: View {
    let role: UserRole
    var body: some View { LatchUI.RoleBadge(role: "\(role)") }
}
#endif
