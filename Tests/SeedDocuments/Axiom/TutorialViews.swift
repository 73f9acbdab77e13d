// SPDX-License-Identifier: Apache-2.0

// Steps 5 and 6 of seed 000's tutorial, as they stand there, with the manager of Examples/user-service. The views that they name stand at the end, and in
// AccountScreens.swift.

#if os(iOS)
import Foundation
import SwiftUI
import UserAuthentication
import UserService

struct LoginView: View {
    @EnvironmentObject var authManager: AuthenticationManager
    @State private var email = ""
    @State private var password = ""
    @State private var rememberMe = false
    @State private var showingRegistration = false
    @State private var showingPasswordReset = false

    var body: some View {
        NavigationView {
            VStack(spacing: 24) {
                // Logo and title
                VStack(spacing: 16) {
                    Image(systemName: "person.circle.fill")
                        .font(.system(size: 80))
                        .foregroundColor(.blue)

                    Text("Welcome Back")
                        .font(.largeTitle)
                        .fontWeight(.bold)

                    Text("Sign in to your account")
                        .font(.subheadline)
                        .foregroundColor(.secondary)
                }
                .padding(.top, 40)

                // Login form
                VStack(spacing: 16) {
                    TextField("Email", text: $email)
                        .textFieldStyle(RoundedBorderTextFieldStyle())
                        .textContentType(.emailAddress)
                        .keyboardType(.emailAddress)
                        .autocapitalization(.none)

                    SecureField("Password", text: $password)
                        .textFieldStyle(RoundedBorderTextFieldStyle())
                        .textContentType(.password)

                    HStack {
                        Toggle("Remember me", isOn: $rememberMe)
                            .font(.caption)

                        Spacer()

                        Button("Forgot Password?") {
                            showingPasswordReset = true
                        }
                        .font(.caption)
                        .foregroundColor(.blue)
                    }
                }
                .padding(.horizontal)

                // Login button
                Button(action: loginAction) {
                    HStack {
                        if authManager.isLoading {
                            ProgressView()
                                .progressViewStyle(CircularProgressViewStyle(tint: .white))
                                .scaleEffect(0.8)
                        }
                        Text("Sign In")
                            .fontWeight(.semibold)
                    }
                    .frame(maxWidth: .infinity)
                    .frame(height: 50)
                    .background(Color.blue)
                    .foregroundColor(.white)
                    .cornerRadius(10)
                }
                .disabled(email.isEmpty || password.isEmpty || authManager.isLoading)
                .padding(.horizontal)

                // Registration link
                HStack {
                    Text("Don't have an account?")
                        .font(.caption)
                        .foregroundColor(.secondary)

                    Button("Sign Up") {
                        showingRegistration = true
                    }
                    .font(.caption)
                    .fontWeight(.semibold)
                    .foregroundColor(.blue)
                }

                Spacer()
            }
            .padding()
            .alert("Login Failed", isPresented: .constant(authManager.error != nil)) {
                Button("OK") {
                    authManager.error = nil
                }
            } message: {
                Text(authManager.error ?? "")
            }
            .sheet(isPresented: $showingRegistration) {
                RegistrationView()
                    .environmentObject(authManager)
            }
            .sheet(isPresented: $showingPasswordReset) {
                PasswordResetView()
                    .environmentObject(authManager)
            }
        }
    }

    private func loginAction() {
        Task {
            do {
                try await authManager.login(
                    email: email,
                    password: password,
                    rememberMe: rememberMe
                )
            } catch {
                // Error handling is managed by AuthenticationManager
                print("Login failed: \(error)")
            }
        }
    }
}

struct ProfileView: View {
    @EnvironmentObject var authManager: AuthenticationManager
    @State private var isEditing = false
    @State private var showingPasswordChange = false

    var body: some View {
        NavigationView {
            ScrollView {
                VStack(spacing: 24) {
                    // Profile header
                    ProfileHeaderView(user: authManager.currentUser)

                    // Profile sections
                    if let user = authManager.currentUser {
                        ProfileSectionsView(user: user)
                    }

                    // Action buttons
                    VStack(spacing: 12) {
                        Button("Edit Profile") {
                            isEditing = true
                        }
                        .buttonStyle(.borderedProminent)

                        Button("Change Password") {
                            showingPasswordChange = true
                        }
                        .buttonStyle(.bordered)

                        Button("Logout") {
                            Task {
                                try await authManager.logout()
                            }
                        }
                        .buttonStyle(.bordered)
                        .foregroundColor(.red)
                    }
                    .padding()
                }
            }
            .navigationTitle("Profile")
            .sheet(isPresented: $isEditing) {
                EditProfileView()
                    .environmentObject(authManager)
            }
            .sheet(isPresented: $showingPasswordChange) {
                ChangePasswordView()
                    .environmentObject(authManager)
            }
        }
    }
}

struct ProfileHeaderView: View {
    let user: User?

    var body: some View {
        VStack(spacing: 16) {
            AsyncImage(url: URL(string: user?.avatarUrl ?? "")) { image in
                image
                    .resizable()
                    .aspectRatio(contentMode: .fill)
            } placeholder: {
                Image(systemName: "person.circle.fill")
                    .font(.system(size: 80))
                    .foregroundColor(.gray)
            }
            .frame(width: 100, height: 100)
            .clipShape(Circle())

            VStack(spacing: 4) {
                Text(user?.displayName ?? "Unknown User")
                    .font(.title2)
                    .fontWeight(.bold)

                Text(user?.email ?? "")
                    .font(.subheadline)
                    .foregroundColor(.secondary)

                if let user = user {
                    RoleBadge(role: user.role)
                        .padding(.top, 4)
                }
            }
        }
        .padding()
    }
}

// MARK: - Left out by the tutorial

struct ProfileSectionsView: View {
    let user: User
    var body: some View { Text(user.email) }
}
#endif
