// SPDX-License-Identifier: Apache-2.0
import JWTAuthDependencies

let fresh: AuthTokens = placeholder()
