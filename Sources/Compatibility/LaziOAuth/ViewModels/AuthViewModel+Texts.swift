// SPDX-License-Identifier: Apache-2.0

// The texts of the login screen, which it only shows.

extension AuthViewModel {
    /// The title of the screen.
    public var screenTitle: String { isLoginMode ? "Welcome Back" : "Create Account" }

    /// The title of the button that sends the form.
    public var submitTitle: String { isLoginMode ? "Sign In" : "Create Account" }

    /// The title of the button that changes the form.
    public var toggleTitle: String { isLoginMode ? "Sign Up" : "Already have an account? Sign In" }

    /// The error of the e-mail address, once there is one; nil for none.
    public var emailError: String? {
        email.isEmpty || isEmailValid ? nil : "Please enter a valid email address."
    }

    /// The error of the repeated password, once there is one; nil for none.
    public var confirmationError: String? {
        confirmPassword.isEmpty || passwordsMatch ? nil : "Passwords do not match."
    }

    /// Sends the form of the current mode.
    public func submit() async {
        if isLoginMode { await login() } else { await signup() }
    }
}
