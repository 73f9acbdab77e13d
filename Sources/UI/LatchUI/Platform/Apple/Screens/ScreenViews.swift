// SPDX-License-Identifier: Apache-2.0

#if canImport(SwiftUI)
public import SwiftUI

// Each screen by its name: a form of its model, `SignInView(model)`, in which a closure may replace single controls.

/// The sign-in: name and password, then a code if the account has a second factor, or another provider.
public typealias SignInView<Row: View> = ScreenForm<SignInScreen, Row>

/// The registration: name, address and password.
public typealias RegistrationView<Row: View> = ScreenForm<RegistrationScreen, Row>

/// The change of the password of a signed-in user.
public typealias ChangePasswordView<Row: View> = ScreenForm<ChangePasswordScreen, Row>

/// The set-up of a second factor: the secret, its confirmation, and the recovery codes.
public typealias SecondFactorView<Row: View> = ScreenForm<SecondFactorScreen, Row>

/// The repeated authentication with a password, a passkey or a provider, which a server requires for some requests.
public typealias StepUpView<Row: View> = ScreenForm<StepUpScreen, Row>

/// The offer of a passkey after a sign-in with a password.
public typealias PasskeyView<Row: View> = ScreenForm<PasskeyScreen, Row>

/// The passkeys of the user's account.
public typealias PasskeysView<Row: View> = ScreenForm<PasskeysScreen, Row>

/// The lock of an app, which Face ID, Touch ID or the device's code opens.
public typealias UnlockView<Row: View> = ScreenForm<UnlockScreen, Row>

/// The profile of the signed-in user, with the buttons that change it.
public typealias ProfileView<Row: View> = ScreenForm<ProfileScreen, Row>

/// The editing of the names of a profile.
public typealias EditProfileView<Row: View> = ScreenForm<EditProfileScreen, Row>

/// The devices on which the user is signed in, with this one first.
public typealias DevicesView<Row: View> = ScreenForm<DevicesScreen, Row>

/// The accounts of the app's user, one of which is current.
public typealias AccountSwitcherView<Row: View> = ScreenForm<AccountSwitcherScreen, Row>

/// The consent to the access of another app to the account.
public typealias ConsentView<Row: View> = ScreenForm<ConsentScreen, Row>

/// The users of a server, for its administrators.
public typealias UserListView<Row: View> = ScreenForm<UserListScreen, Row>

/// One user of a server, whose role and status an administrator changes.
public typealias UserView<Row: View> = ScreenForm<UserScreen, Row>

/// The scopes of an app by category; the user selects the scopes to request.
public typealias ScopeSelectionForm<Option: SelectableScope> = ScreenForm<ScopeSelectionScreen<Option>, ControlView>
#endif
