/** In front of the names of variables that are meant for the program, not for the forwarder. */
export const setAside = 'COXSWAIN_FOR_PROGRAM_';
