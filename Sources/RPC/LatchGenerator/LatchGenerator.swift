// SPDX-License-Identifier: Apache-2.0

// LatchGenerator: descriptors in, Swift out.
//
// For: messages, enums, services, clients with actions and state, their tests and guides, as text with a path; and the
// folder that they are written to.
// Must not know: the runtime. What it writes imports LatchRPC; nothing here does. Only Project/ touches files.
